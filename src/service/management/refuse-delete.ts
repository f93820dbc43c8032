import * as Type from 'typebox'
import type { TObject } from 'typebox'
import type { Access } from '../auth/access.ts'
import type { Api } from './api.ts'

/** A resource that is deleted by a PATCH of `deleted`, and never removed. */
export interface KeptResource {
  /** The path of one item, and the parameters in it. */
  readonly path: string
  readonly params: TObject
  readonly access: Access
  readonly operationId: string
  /** One item, in words: `a playlist`. */
  readonly item: string
  readonly tags: string[]
}

const NO_BODY = Type.Unsafe<undefined>(
  Type.Null({ description: 'Always, without a body; `Allow` names the methods that work.' }),
)

/** Adds the DELETE of a resource that is kept: it is refused. */
export const refuseDelete = (api: Api, { path, params, access, operationId, item, tags }: KeptResource): void => {
  api.delete(
    path,
    {
      config: { access },
      schema: {
        operationId,
        summary: `Is refused: ${item} is deleted by a PATCH with \`deleted: true\``,
        tags,
        params,
        response: { 405: NO_BODY },
      },
    },
    async (_request, reply) => reply.status(405).header('allow', 'GET, PATCH').send(undefined),
  )
}
