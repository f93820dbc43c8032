import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../data-folder.ts'
import { Refusal } from '../refusal.ts'

/** Browsers ask again after this time, in milliseconds, and are told 304 while the file is the same. */
const FRESH_MS = 5 * 60_000

const PREFIX = '/static/'

/**
 * Serves the scripts that pages load by address, as posthog-js' snippet and its lazy parts do: `GET /static/<file>`, and
 * `/static/<version>/<file>`, which pages ask for first: from the folder itself when it is of a package of this version, else from a
 * folder of this name inside.
 *
 * @param folder Absolute path of the folder that holds them; null for none: then each answers 404, with the way out. Rejects with
 * `StartError` when there is no such folder.
 */
export const addStaticFiles = async (app: FastifyInstance, folder: string | null): Promise<void> => {
  if (folder === null) {
    app.get(`${PREFIX}*`, ({ url }) => {
      throw noStaticFolder(url)
    })
    return
  }
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new StartError(
      `There is no folder ${folder} to serve scripts from; set --static-folder to one, or leave it out.`,
    )
  const version = packageVersion(join(folder, '..', 'package.json'))
  for (const prefix of version === undefined ? [PREFIX] : [PREFIX, `${PREFIX}${version}/`])
    await app.register(fastifyStatic, {
      root: folder,
      prefix,
      index: false,
      dotfiles: 'ignore',
      decorateReply: false,
      maxAge: FRESH_MS,
    })
}

const noStaticFolder = (url: string): Refusal =>
  new Refusal(404, {
    type: 'invalid_request',
    code: 'no_static_folder',
    detail: `There is nothing at ${url}: start the service with --static-folder, the "dist" folder of the posthog-js package.`,
    attr: null,
  })

/** The version in a package's manifest; undefined when there is none. */
const packageVersion = (manifest: string): string | undefined => {
  try {
    const { version }: { version?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'))
    return typeof version === 'string' && /^\d[\w.+-]*$/.test(version) ? version : undefined
  } catch {
    return undefined
  }
}
