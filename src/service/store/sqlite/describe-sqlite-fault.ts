/** A library for SQLite, and where it was loaded. */
export interface LoadedWhere {
  /** Name of the package. */
  readonly library: string
  /** Whether the library must be compiled for each version of Node. Else it brings its binaries. */
  readonly isCompiled: boolean
  /** As `process.version`. */
  readonly nodeVersion: string
  /** Operating system and processor: `linux-x64`. */
  readonly platform: string
}

/** Says to the operator why SQLite cannot be loaded, and what to do. */
export const describeSqliteFault = (
  error: unknown,
  { library, isCompiled, nodeVersion, platform }: LoadedWhere,
): string => {
  // npm removes an optional package whose build failed, and says nothing.
  if (isMissing(error, library)) {
    return isCompiled
      ? `The library ${library} is not installed: its build failed, or optional dependencies were left out. Install a C++ compiler and ` +
          'Python, then install waymark-service again. Node 22.14 and later need neither.'
      : `The library ${library} is not installed. Install waymark-service again, with optional dependencies.`
  }
  if (isCompiled) {
    return (
      `The library ${library} has no native part for Node ${nodeVersion}: its install script did not run, or ran for another version of ` +
      // pnpm goes by the real name of a package.
      `Node. Run: npm rebuild ${library} (with pnpm: pnpm approve-builds, then pnpm rebuild better-sqlite3).`
    )
  }
  const [firstLine] = (error instanceof Error ? error.message : String(error)).split('\n')
  return `The library ${library} cannot be loaded on ${platform} with Node ${nodeVersion}: ${firstLine}`
}

const isMissing = (error: unknown, library: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'MODULE_NOT_FOUND' &&
  error.message.startsWith(`Cannot find module '${library}'`)
