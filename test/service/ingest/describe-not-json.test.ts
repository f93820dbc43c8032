import { expect, test } from 'vitest'
import { parseRequest } from '../../../src/service/ingest/parse-request.ts'

test.each([
  ['<!doctype html>', 'It looks like HTML or XML'],
  ['event=a&api_key=wm_secret', 'It looks like a form'],
  ['--boundary\r\nContent-Disposition: form-data', 'It looks like a multipart form'],
  ['\u0001\u0002', 'binary or compressed'],
  ['{"api_key":"wm_secret"', 'It begins like JSON'],
  ['{"api_key":"wm_secret",}', 'goes wrong at character 23'],
  ['wm_secret', 'It does not begin like JSON'],
])('says what the body %j looks like, and repeats none of it', (body, words) => {
  const read = () => parseRequest(body)
  expect(read).toThrow(words)
  expect(read).not.toThrow('wm_secret')
})
