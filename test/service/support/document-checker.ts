import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** An OpenAPI document, as `GET /api/schema/` returns it. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly summary?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: object }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>
  }
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>> }
    >
  >
}

/** An answer of the service. */
export interface CheckedAnswer {
  readonly method: string
  /** Path and query, or the whole URL. */
  readonly url: string
  readonly status: number
  /** The header; undefined without a body. */
  readonly contentType: string | undefined
  readonly body: string
}

const escapePointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1')

/** A validator for a place in the document, given as the steps to it. */
export const createSchemaLookup = (document: OpenApiDocument) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'document')
  return (...steps: readonly string[]) => {
    const reference = `document#/${steps.map((step) => encodeURIComponent(escapePointer(step))).join('/')}`
    const validate = ajv.getSchema(reference)
    if (!validate) throw new Error(`The OpenAPI document has no schema at ${reference}.`)
    return (value: unknown): string | null =>
      validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: 'body' })
  }
}

/**
 * Creates a function that throws when an answer of the management API is not as the document says: an undocumented path, method
 * or status, or another body. Paths outside `/api/` are ignored.
 */
export const createDocumentChecker = (document: OpenApiDocument): ((answer: CheckedAnswer) => void) => {
  const lookUp = createSchemaLookup(document)
  const routes = Object.keys(document.paths).map((path) => ({
    path,
    // A path with fewer parameters is the better match.
    parameters: path.split('{').length,
    pattern: new RegExp(`^${path.replace(/\/$/, '').replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
  }))
  routes.sort((a, b) => a.parameters - b.parameters)
  return ({ method, url, status, contentType, body }) => {
    const { pathname } = new URL(url, 'http://service')
    if (!pathname.startsWith('/api/')) return
    const fail = (why: string): Error =>
      new Error(`${method} ${pathname} answered ${status}, but ${why}\n${body.slice(0, 1000)}`)
    const path = routes.find(({ pattern }) => pattern.test(pathname))?.path
    const operation = path === undefined ? undefined : document.paths[path]![method.toLowerCase()]
    if (path === undefined || operation === undefined) {
      // An unknown path or method, a preflight request, or a request that is not valid HTTP.
      if (![204, 400, 404, 405, 503].includes(status)) throw fail('the OpenAPI document has no such operation.')
      if (body === '' || method === 'HEAD') return
      const problem = lookUp('components', 'schemas', 'Error')(JSON.parse(body))
      if (problem !== null) throw fail(`the body is not an error: ${problem}`)
      return
    }
    const response = operation.responses[status]
    if (response === undefined) throw fail('the OpenAPI document does not have this status.')
    if (response.content === undefined) {
      if (body !== '') throw fail('the OpenAPI document says that it has no body.')
      return
    }
    const type = contentType?.split(';')[0] ?? 'application/json'
    if (response.content[type] === undefined) throw fail(`the OpenAPI document has no body of the type ${type}.`)
    const at = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
    const problem = lookUp(...at)(type === 'application/json' ? JSON.parse(body) : body)
    if (problem !== null) throw fail(`its body is not as the OpenAPI document says: ${problem}`)
  }
}
