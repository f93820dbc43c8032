import ts from 'typescript'

/** Declarations that are not ours: those of TypeScript and of other packages. Parsing them takes longer than all of a user's files. */
const isForeign = (path: string): boolean => /\/node_modules\/(?!waymark\/)/.test(path)

/** The parsed ones, by what their form depends on. */
const foreignFiles = new Map<string, ts.SourceFile | undefined>()

/** Creates the program of a user's files. All programs of a test file share the declarations that are not ours. */
export const createProgram = (files: readonly string[], options: ts.CompilerOptions): ts.Program => {
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile
  host.getSourceFile = (path, form, ...rest) => {
    if (!isForeign(path)) return read(path, form, ...rest)
    const { languageVersion, impliedNodeFormat } =
      typeof form === 'object' ? form : { languageVersion: form, impliedNodeFormat: undefined }
    const key = [path, languageVersion, impliedNodeFormat].join()
    if (!foreignFiles.has(key)) foreignFiles.set(key, read(path, form, ...rest))
    return foreignFiles.get(key)
  }
  return ts.createProgram({ rootNames: files, options, host })
}

/**
 * TypeScript's errors in the user's files and in the declarations of `waymark`. The declarations of others are used, but not checked, which
 * would take most of the time: where one of ours contradicts one of theirs, both files have the error.
 */
export const findTypeErrors = (program: ts.Program): readonly ts.Diagnostic[] => {
  const files = program.getSourceFiles().filter(({ fileName }) => !isForeign(fileName))
  return [
    ...program.getOptionsDiagnostics(),
    ...files.flatMap((file) => program.getSyntacticDiagnostics(file)),
    ...files.flatMap((file) => program.getSemanticDiagnostics(file)),
    // Those that no file has, some of which the checks above find.
    ...program.getGlobalDiagnostics(),
  ]
}
