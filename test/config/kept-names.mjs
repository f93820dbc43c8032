import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'

const filesIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)

/** The agent's bundled public types: verbs, options, events and reports. Built before the script. */
const PUBLIC = ['dist/index.d.ts']

/** Files that declare what is sent, received and stored, which other versions and other programs read too. */
const WIRE_AND_STORAGE = [
  ...filesIn('src/wire'),
  'src/capture/session.ts',
  'src/capture/state.ts',
  'src/flags/flag-snapshot.ts',
]

/**
 * Entries whose code is in no script: of the Node, edge and React Native agents, of React, of tests and of the command line, and `compat`, which is
 * only for bundles.
 */
const NON_SCRIPT_ENTRY =
  /^src\/entry\/(node|edge|init-node|react|react-native|init-react-native|react-native-options|node-types|middleware|import|testing|cli|compat)\.ts$/

/** The only code that uses browser APIs; everything else compiles without their types. */
const PLATFORM = [
  ...filesIn('src/entry').filter((path) => !NON_SCRIPT_ENTRY.test(path)),
  ...filesIn('src/autocapture'),
  ...filesIn('src/platform/browser'),
  ...filesIn('src/platform/web'),
  'node_modules/idb-keyval/dist/index.js',
]

const LIBRARY = filesIn('node_modules/typescript/lib')
const LANGUAGE = LIBRARY.filter((path) => /lib\.es[\w.]+$/.test(path))
const BROWSER = LIBRARY.filter((path) => /lib\.(dom|webworker)[\w.]+$/.test(path))

/** Every property name that code outside of the bundled script reads or writes. The bundler may shorten all others. */
export const keptNames = () => {
  const usedWords = new Set(PLATFORM.flatMap((path) => readFileSync(path, 'utf8').match(/\w+/g)))
  const kept = [
    ...[...PUBLIC, ...WIRE_AND_STORAGE, ...LANGUAGE].flatMap((path) => declaredNames(path)),
    ...BROWSER.flatMap((path) => declaredNames(path)).filter((name) => usedWords.has(name)),
    // In these files a type literal declares properties that an object of the browser or page has beyond its type.
    ...PLATFORM.flatMap((path) => declaredNames(path, ts.isTypeLiteralNode)),
  ]
  return [...new Set(kept)]
}

/** Names of the members of a file's types, and of its globals. */
const declaredNames = (path, isIncluded = () => true) => {
  const names = []
  const visit = (node) => {
    const isName =
      ts.isPropertySignature(node) ||
      ts.isMethodSignature(node) ||
      ts.isAccessor(node) ||
      (path.endsWith('.d.ts') && ts.isVariableDeclaration(node))
    if (isName && isIncluded(node.parent) && ts.isIdentifier(node.name)) names.push(node.name.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true))
  return names
}
