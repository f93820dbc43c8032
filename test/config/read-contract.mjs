import ts from 'typescript'

const OPTIONS = {
  noEmit: true,
  allowImportingTsExtensions: true,
  strict: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2021,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
}

const describe = (owner, property, type, checker) =>
  `${checker.typeToString(owner)}.${property.name}${property.flags & ts.SymbolFlags.Optional ? '?' : ''}: ${checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)}`

/**
 * The names that two files of different versions use of each other: of all objects that go through the exports of a module, in their
 * parameters, results and members. Only names of our own types.
 *
 * @param {string} path The module.
 * @returns {{ names: readonly string[], members: readonly string[] }} Both sorted; a member with its owner and its type.
 */
export const readContract = (path) => {
  const program = ts.createProgram([path], OPTIONS)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(path)
  const names = new Set()
  const members = new Set()
  const seen = new Set()
  const visit = (type) => {
    if (seen.has(type)) return
    seen.add(type)
    if (type.isUnionOrIntersection()) type.types.forEach(visit)
    checker.getTypeArguments?.(type).forEach(visit)
    for (const signature of type.getCallSignatures()) {
      for (const parameter of signature.getParameters()) visit(checker.getTypeOfSymbolAtLocation(parameter, source))
      visit(signature.getReturnType())
    }
    for (const property of type.getProperties()) {
      if (!property.declarations?.every((declaration) => isOurs(declaration))) continue
      const propertyType = checker.getTypeOfSymbolAtLocation(property, source)
      names.add(property.name)
      members.add(describe(type, property, propertyType, checker))
      visit(propertyType)
    }
  }
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(source))) {
    names.add(symbol.name)
    visit(checker.getTypeOfSymbolAtLocation(symbol, source))
  }
  return { names: sort(names), members: sort(members) }
}

const isOurs = (declaration) => !declaration.getSourceFile().fileName.includes('/node_modules/')

const sort = (texts) => [...texts].toSorted((a, b) => (a < b ? -1 : 1))
