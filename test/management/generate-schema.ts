import openapiTS, { astToString } from 'openapi-typescript'

type Operation = {
  parameters?: { in: string; name: string }[]
  responses: Record<string, object>
}

/** An OpenAPI document; what is left out here is passed on as it is. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const HEADER = `/**
 * The types of the management API: generated from the OpenAPI document of the service, do not edit. A test fails when it differs; this
 * writes it anew: npx vitest run -c test/config/vitest.config.ts test/management/schema.test.ts -u
 */

`

/** Each path of a project exists twice; the client uses `/api/environments/`. */
const PROJECT_TWIN = /^\/api\/projects\/\{project_id\}\//

/** Exports of the generator that are empty for this document. */
const EMPTY_EXPORTS = /^export type (webhooks|\$defs) =/

/** Generates the types of the client from the document of the service, as the source of `src/management/schema.ts`. */
export const generateSchema = async (document: ApiDocument): Promise<string> => {
  const nodes = await openapiTS(JSON.stringify(toClientDocument(document)), {
    immutable: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    alphabetize: true,
  })
  const source = nodes.map((node) => astToString(node)).filter((text) => !EMPTY_EXPORTS.test(text))
  return HEADER + source.join('')
}

/** Leaves out what no type of the client needs: twin paths, errors, examples, and the project, which the client fills in. */
const toClientDocument = (document: ApiDocument): object => {
  const paths = Object.entries(document.paths)
    .filter(([path]) => !PROJECT_TWIN.test(path))
    .map(([path, operations]) => {
      const kept = Object.entries(operations).map(
        ([method, operation]) => [method, toClientOperation(operation)] as const,
      )
      return [path, Object.fromEntries(kept.filter(([, { responses }]) => Object.keys(responses).length > 0))] as const
    })
  return withoutExamples({ ...document, paths: Object.fromEntries(paths) }) as object
}

const toClientOperation = ({ parameters = [], responses, ...operation }: Operation): Operation => ({
  ...operation,
  parameters: parameters.filter(({ in: place, name }) => !(place === 'path' && name === 'project_id')),
  responses: Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith('2'))),
})

const withoutExamples = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutExamples)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => key !== 'example' && key !== 'examples')
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutExamples(each)]))
}
