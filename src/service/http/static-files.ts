import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import type { Config } from '../config.ts'
import { StartError } from '../data-folder.ts'
import { notFound, HttpError } from '../http-error.ts'

/** How long browsers cache a file; then they revalidate it and get 304 while it is unchanged. */
const MAX_AGE_MS = 5 * 60_000

const PREFIX = '/static/'

/**
 * Serves scripts to pages, for the snippet and the lazy parts of posthog-js: `GET /static/<file>` and
 * `/static/<version>/<file>`, which pages request first. A path with a version serves the folder itself when its package has that
 * version, otherwise the subfolder with that name.
 *
 * Symbolic links out of the folder are not followed. Browsers must not guess the content type.
 *
 * @param config The folder with the scripts. Without one, each path responds with 404 and says how to set it. Rejects with
 * `StartError` when the folder does not exist or contains the service's data.
 */
export const addStaticFiles = async (
  app: FastifyInstance,
  { staticFolder: folder, dataFolder }: Pick<Config, 'staticFolder' | 'dataFolder'>,
): Promise<void> => {
  if (folder === null) {
    app.get(`${PREFIX}*`, ({ url }) => {
      throw noStaticFolderError(url)
    })
    return
  }
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new StartError(
      `--static-folder is "${folder}", which is not an existing folder; set an existing one, or omit the option.`,
    )
  const root = realpathSync(folder)
  if (isInside(root, existsSync(dataFolder) ? realpathSync(dataFolder) : dataFolder))
    throw new StartError(
      `${folder} contains the service's data, which must not be public; set --static-folder to a folder with scripts only.`,
    )
  const version = readPackageVersion(join(folder, '..', 'package.json'))
  for (const prefix of version === undefined ? [PREFIX] : [PREFIX, `${PREFIX}${version}/`])
    await app.register(async (scope) => {
      // Folders, hidden files and paths that leave the folder get 404, like missing files.
      scope.setErrorHandler((error: { statusCode?: number }, { method, url }) => {
        const { statusCode = 500 } = error
        throw statusCode >= 400 && statusCode < 500
          ? notFound(`No route or file matches ${method} ${url}. Check the method and path.`)
          : error
      })
      await scope.register(fastifyStatic, {
        root,
        prefix,
        index: false,
        dotfiles: 'ignore',
        decorateReply: false,
        maxAge: MAX_AGE_MS,
        allowedPath: (path) => {
          const file = join(root, path)
          return !existsSync(file) || isInside(root, realpathSync(file))
        },
        setHeaders: (reply) => void reply.setHeader('x-content-type-options', 'nosniff'),
      })
    })
}

/** Whether a path is the folder itself or inside it. Both must be absolute, with symbolic links resolved. */
const isInside = (folder: string, path: string): boolean => {
  const relativePath = relative(folder, path)
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
}

const noStaticFolderError = (url: string): HttpError =>
  new HttpError(404, {
    type: 'invalid_request',
    code: 'no_static_folder',
    detail: `The service has no scripts to serve at ${url}. Start it with --static-folder, set to the "dist" folder of posthog-js.`,
    attr: null,
  })

/** The version in a package.json; undefined when the file or the version is missing. */
const readPackageVersion = (manifest: string): string | undefined => {
  try {
    const { version }: { version?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'))
    return typeof version === 'string' && /^\d[\w.+-]*$/.test(version) ? version : undefined
  } catch {
    return undefined
  }
}
