import type { paths } from './schema.ts'

/** Types of the calls, which follow from the OpenAPI document. */

export type Method = 'get' | 'post' | 'patch' | 'delete'

/** The paths that have a method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends { readonly [K in M]: object } ? P : never
}[keyof paths]

type OperationOf<P extends keyof paths, M extends Method> = paths[P] extends { readonly [K in M]: infer O } ? O : never

type PathPart<O> = O extends { readonly parameters: { readonly path: infer Path extends object } }
  ? { /** The parameters of the path, besides the project. */ readonly path: Path }
  : unknown

type QueryPart<O> = O extends { readonly parameters: { readonly query: infer Query extends object } }
  ? { readonly query: Query }
  : O extends { readonly parameters: { readonly query?: infer Query extends object } }
    ? { readonly query?: Query }
    : unknown

type BodyPart<O> = O extends { readonly requestBody: { readonly content: { readonly 'application/json': infer Body } } }
  ? { readonly body: Body }
  : unknown

/** What every call can be given. */
export interface CallOptions {
  /** The project that `{project_id}` in the path stands for. Default: that of the client. */
  readonly projectId?: string | undefined
  /** Ends the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** The options of a call: parameters, body, project and signal. */
export type OptionsOf<P extends keyof paths, M extends Method> = CallOptions &
  PathPart<OperationOf<P, M>> &
  QueryPart<OperationOf<P, M>> &
  BodyPart<OperationOf<P, M>>

/** The arguments of a call after its path: options, which may be left out if none is required. */
export type ArgumentsOf<P extends keyof paths, M extends Method> =
  CallOptions extends OptionsOf<P, M> ? [options?: OptionsOf<P, M>] : [options: OptionsOf<P, M>]

/** Whether a response has a file name. The headers that the document does not name are unknown. */
type IsFile<Response> = Response extends { readonly headers: { readonly 'content-disposition'?: infer Header } }
  ? [Header] extends [string | undefined]
    ? true
    : false
  : false

/** The parsed response of a call; a `Blob` for a file, and undefined without a body. */
export type ResultOf<P extends keyof paths, M extends Method> =
  OperationOf<P, M> extends { readonly responses: infer Responses }
    ? {
        [Status in keyof Responses]: IsFile<Responses[Status]> extends true
          ? Blob
          : Responses[Status] extends { readonly content: { readonly 'application/json': infer Body } }
            ? Body
            : undefined
      }[keyof Responses]
    : never

/** The paths of lists that have pages. */
export type ListPath = {
  [P in PathsWith<'get'>]: ResultOf<P, 'get'> extends {
    readonly next: string | null
    readonly results: readonly unknown[]
  }
    ? P
    : never
}[PathsWith<'get'>]

/** An item of a list. */
export type ItemOf<P extends ListPath> =
  ResultOf<P, 'get'> extends { readonly results: readonly (infer Item)[] } ? Item : never
