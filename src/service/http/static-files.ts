import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { statSync } from 'node:fs'
import { StartError } from '../data-folder.ts'
import { Refusal } from '../refusal.ts'

/** Browsers ask again after this time, in milliseconds, and are told 304 while the file is the same. */
const FRESH_MS = 5 * 60_000

const PREFIX = '/static/'

/**
 * Serves the scripts that pages load by address, as posthog-js' snippet and its lazy parts do: `GET /static/<file>`, and
 * `/static/<version>/<file>` where a page insists on its version.
 *
 * @param folder Absolute path of the folder that holds them; null for none: then each answers 404, with the way out. Rejects with
 * `StartError` when there is no such folder.
 */
export const addStaticFiles = async (app: FastifyInstance, folder: string | null): Promise<void> => {
  if (folder !== null) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new StartError(
        `There is no folder ${folder} to serve scripts from; set --static-folder to one, or leave it out.`,
      )
    await app.register(fastifyStatic, {
      root: folder,
      prefix: PREFIX,
      index: false,
      dotfiles: 'ignore',
      decorateReply: false,
      maxAge: FRESH_MS,
    })
    return
  }
  app.get(`${PREFIX}*`, ({ url }) => {
    throw new Refusal(404, {
      type: 'invalid_request',
      code: 'no_static_folder',
      detail: `There is nothing at ${url}: start the service with --static-folder, the "dist" folder of the posthog-js package.`,
      attr: null,
    })
  })
}
