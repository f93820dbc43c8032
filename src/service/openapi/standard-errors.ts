/** The parts of an operation of an OpenAPI document that decide which errors and examples it has, and its responses. */
export interface Operation {
  readonly parameters?: readonly { readonly in: string }[]
  readonly operationId?: string
  readonly requestBody?: { readonly content: Readonly<Record<string, { example?: object | undefined }>> }
  readonly security?: readonly object[]
  responses: Record<string, object>
}

interface ErrorExample {
  readonly description: string
  readonly type: string
  readonly code: string
  readonly detail: string
  readonly attr?: string
}

const EXAMPLES: Readonly<Record<string, ErrorExample>> = {
  400: {
    description: 'A field or parameter is invalid; `attr` names it.',
    type: 'validation_error',
    code: 'required',
    detail: '"name" is missing.',
    attr: 'name',
  },
  401: {
    description: 'The key is missing or not valid.',
    type: 'authentication_error',
    code: 'not_authenticated',
    detail: 'A personal API key is missing; send it as "Authorization: Bearer <key>".',
    attr: 'authorization',
  },
  403: {
    description: 'The key lacks the scope, or its user the level.',
    type: 'authentication_error',
    code: 'permission_denied',
    detail: 'The personal API key lacks the scope "project:read". Use a key that has it.',
  },
  404: {
    description: 'It does not exist, or the key may not see it.',
    type: 'invalid_request',
    code: 'not_found',
    detail: 'There is no project 7 that this key may see.',
  },
  409: {
    description: 'The request conflicts with what is stored: an old `version`, or something that is still in use.',
    type: 'invalid_request',
    code: 'version_conflict',
    detail: 'The stored version is 3, not 2. Read the current version and apply your change to it.',
    attr: 'version',
  },
  413: {
    description: 'The body is too large.',
    type: 'invalid_request',
    code: 'body_too_large',
    detail: 'The body must be smaller than 20971520 bytes, before and after decompression. Send less per request.',
  },
  415: {
    description: 'The `Content-Encoding` is not supported.',
    type: 'invalid_request',
    code: 'unsupported_encoding',
    detail: 'Content-Encoding "br" is not supported; send gzip, or no encoding.',
    attr: 'content-encoding',
  },
  429: {
    description: 'Too many requests; retry after the seconds in `Retry-After`.',
    type: 'throttled_error',
    code: 'throttled',
    detail: 'This key sent more than 1200 requests in 60 seconds. Retry after the time in "Retry-After".',
  },
  500: {
    description: 'The service failed.',
    type: 'server_error',
    code: 'internal_error',
    detail: 'The service failed unexpectedly; its log has the cause. Retry, or ask the operator.',
  },
  503: {
    description: 'The service cannot answer now; retry after the seconds in `Retry-After`.',
    type: 'server_error',
    code: 'metadata_unavailable',
    detail: 'The metadata cannot be read or written now. Retry later.',
  },
}

/** The 401 of paths for websites. */
const PROJECT_KEY_EXAMPLE: ErrorExample = {
  description: 'The project API key is missing or not valid.',
  type: 'authentication_error',
  code: 'missing_api_key',
  detail: 'The project API key is missing; send it as "?token=<key>".',
  attr: 'token',
}

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } }

const toResponse = (status: string, { description, attr, ...error }: ErrorExample): object => ({
  description,
  ...(['429', '503'].includes(status) && { headers: RETRY_AFTER }),
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { ...error, attr: attr ?? null } },
  },
})

const needsKey = (security: Operation['security'], kind: 'personalApiKey' | 'projectApiKey'): boolean =>
  security?.some((each) => kind in each) ?? false

const findStatuses = (method: string, { parameters = [], requestBody, security }: Operation): readonly number[] => {
  const needsPersonalKey = needsKey(security, 'personalApiKey')
  const hasParameters = parameters.some((parameter) => parameter.in === 'query')
  const isInPath = parameters.some((parameter) => parameter.in === 'path')
  return [
    // Every part of a path may be malformed.
    ...(requestBody || hasParameters || isInPath ? [400] : []),
    ...(needsPersonalKey ? [401, 403, 429] : []),
    ...(isInPath ? [404] : []),
    ...(needsPersonalKey && method !== 'get' ? [409] : []),
    ...(requestBody ? [413, 415] : []),
    500,
    503,
  ]
}

/** Adds the errors that every operation of its kind can have, with an example each, unless the operation describes them itself. */
export const addStandardErrors = (method: string, operation: Operation): void => {
  if (needsKey(operation.security, 'projectApiKey'))
    operation.responses['401'] ??= toResponse('401', PROJECT_KEY_EXAMPLE)
  for (const status of findStatuses(method, operation))
    operation.responses[status] ??= toResponse(String(status), EXAMPLES[status]!)
}
