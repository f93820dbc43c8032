import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import type { Config } from '../config.ts'
import { StartError } from '../data-folder.ts'
import { notFound, Refusal } from '../refusal.ts'

/** Browsers ask again after this time, in milliseconds, and are told 304 while the file is the same. */
const FRESH_MS = 5 * 60_000

const PREFIX = '/static/'

/**
 * Serves the scripts that pages load by address, as posthog-js' snippet and its lazy parts do: `GET /static/<file>`, and
 * `/static/<version>/<file>`, which pages ask for first: from the folder itself when it is of a package of this version, else from a
 * folder of this name inside.
 *
 * Links that lead out of the folder are not followed, and browsers are told to take nothing for what its name does not say.
 *
 * @param config Where the folder is that holds them; without one each answers 404, with the way out. Rejects with `StartError` when there is
 * no such folder, or when the data of the service is inside.
 */
export const addStaticFiles = async (
  app: FastifyInstance,
  { staticFolder: folder, dataFolder }: Pick<Config, 'staticFolder' | 'dataFolder'>,
): Promise<void> => {
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
  const root = realpathSync(folder)
  if (isInside(root, existsSync(dataFolder) ? realpathSync(dataFolder) : dataFolder))
    throw new StartError(
      `${folder} holds the data of the service, which must not be served; set --static-folder to a folder of scripts alone.`,
    )
  const version = packageVersion(join(folder, '..', 'package.json'))
  for (const prefix of version === undefined ? [PREFIX] : [PREFIX, `${PREFIX}${version}/`])
    await app.register(async (scope) => {
      // Folders, hidden files and addresses that climb out are no more there than files that are missing.
      scope.setErrorHandler((error: { statusCode?: number }, { method, url }) => {
        const { statusCode = 500 } = error
        throw statusCode >= 400 && statusCode < 500 ? notFound(`There is nothing at ${method} ${url}.`) : error
      })
      await scope.register(fastifyStatic, {
        root,
        prefix,
        index: false,
        dotfiles: 'ignore',
        decorateReply: false,
        maxAge: FRESH_MS,
        allowedPath: (path) => {
          const file = join(root, path)
          return !existsSync(file) || isInside(root, realpathSync(file))
        },
        setHeaders: (reply) => void reply.setHeader('x-content-type-options', 'nosniff'),
      })
    })
}

/** Whether a path is a folder itself, or inside. Both absolute and free of links. */
const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
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
