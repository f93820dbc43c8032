import { StartError } from './data-folder.ts'

/**
 * Loads a package that users install only for a setting. Throws `StartError` when it is not installed.
 *
 * @param name Name of the package, an optional peer dependency.
 * @param reason What needs it, such as `--metadata postgres://…`.
 */
export const loadOptional = async <Module>(name: string, reason: string): Promise<Module> => {
  try {
    return (await import(name)) as Module
  } catch (error) {
    if (!isMissing(error, name)) throw error
    throw new StartError(
      `${reason} needs the package ${name}. Install it beside waymark-service: npm install ${name}`,
      {
        cause: error,
      },
    )
  }
}

const isMissing = (error: unknown, name: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes(`'${name}'`)
