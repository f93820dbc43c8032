import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'

const filesIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)

/** What the agent's public types declare, as rolled for its users: verbs, options, events and reports. Built before the script. */
const PUBLIC = ['dist/index.d.ts']

/** Where the shapes of what is sent, received and stored are declared: another version, or another program, reads them too. */
const OUTSIDE = [...filesIn('src/wire'), 'src/capture/session.ts', 'src/capture/state.ts', 'src/flags/flag-snapshot.ts']

/** What agents for servers are wired with, and the command line: no page runs it. */
const NO_PAGE = /^src\/entry\/(node|edge|init-node|node-types|middleware|import|cli)\.ts$/

/** The only code that sees a browser: everything else compiles without its types. */
const PLATFORM = [
  ...filesIn('src/entry').filter((path) => !NO_PAGE.test(path)),
  ...filesIn('src/autocapture'),
  ...filesIn('src/platform/browser'),
  'node_modules/idb-keyval/dist/index.js',
]

const LIBRARY = filesIn('node_modules/typescript/lib')
const LANGUAGE = LIBRARY.filter((path) => /lib\.es[\w.]+$/.test(path))
const BROWSER = LIBRARY.filter((path) => /lib\.(dom|webworker)[\w.]+$/.test(path))

/** Every property name that somebody else than the closed script reads or writes: all others may become shorter. */
export const keptNames = () => {
  const words = new Set(PLATFORM.flatMap((path) => readFileSync(path, 'utf8').match(/\w+/g)))
  const kept = [
    ...[...PUBLIC, ...OUTSIDE, ...LANGUAGE].flatMap((path) => declaredNames(path)),
    ...BROWSER.flatMap((path) => declaredNames(path)).filter((name) => words.has(name)),
    // In these files a type without a name tells what an object of the browser or of the page has beyond its own types.
    ...PLATFORM.flatMap((path) => declaredNames(path, ts.isTypeLiteralNode)),
  ]
  return [...new Set(kept)]
}

/** The members of a file's types, and its globals. */
const declaredNames = (path, isWanted = () => true) => {
  const names = []
  const visit = (node) => {
    const isName =
      ts.isPropertySignature(node) ||
      ts.isMethodSignature(node) ||
      ts.isAccessor(node) ||
      (path.endsWith('.d.ts') && ts.isVariableDeclaration(node))
    if (isName && isWanted(node.parent) && ts.isIdentifier(node.name)) names.push(node.name.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true))
  return names
}
