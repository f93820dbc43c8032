import { expect, test } from 'vitest'
import { scriptTag } from '../../../src/service/script/script-tag.ts'

test('the tag loads the agent of the service with the key of the project', () => {
  expect(scriptTag('https://analytics.example.com', 'wm_key')).toBe(
    '<script defer src="https://analytics.example.com/waymark.js" data-key="wm_key"></script>',
  )
})
