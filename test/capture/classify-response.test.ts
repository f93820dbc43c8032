import { describe, expect, it } from 'vitest'
import { classifyResponse } from '../../src/capture/classify-response.ts'

const SERVICE_ERROR = '{"type":"authentication_error","code":"invalid_api_key","detail":"No such key.","attr":null}'

describe('classifyResponse', () => {
  it.each([
    [200, '', 'accepted'],
    [204, '', 'accepted'],
    [200, '\n', 'accepted'],
    [200, '{"status":1}', 'accepted'],
    [200, 'null', 'accepted'],
    [200, '<html>Sign in to this network</html>', 'wait'],
    [400, '', 'rejected_by_service'],
    [400, 'invalid body', 'rejected_by_service'],
    [400, '\n<html>The plain HTTP request was sent to HTTPS port</html>', 'wait'],
    [401, SERVICE_ERROR, 'rejected_by_service'],
    [403, SERVICE_ERROR, 'rejected_by_service'],
    [401, '', 'wait'],
    [403, '<html>blocked</html>', 'wait'],
    [401, 'null', 'wait'],
    [403, '{"detail":"no"}', 'wait'],
    [404, SERVICE_ERROR, 'wait'],
    [405, '', 'wait'],
    [304, '', 'wait'],
    [413, '', 'too_large'],
    [0, '', 'retry'],
    [408, '', 'retry'],
    [429, '', 'retry'],
    [500, '', 'retry'],
    [502, '', 'retry'],
    [503, '', 'retry'],
    [599, '', 'retry'],
  ])('classifies status %i with the body %j as %s', (status, body, responseClass) => {
    expect(classifyResponse({ status, body, retryAfter: null })).toBe(responseClass)
  })
})
