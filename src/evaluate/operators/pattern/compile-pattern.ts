// Patterns come from users and texts from visitors, so a search must end soon whatever both are: backtracking engines, the
// built-in one included, can take time exponential in the text. This is Thompson's way (CACM 11:6, 1968): all states are
// followed at once, and time is the product of the two lengths.
import { type CharSet, CLASSES, has } from './char-set.ts'
import { parsePattern } from './parse-pattern.ts'
import { type Assertion, InvalidPattern, type PatternNode, UnsupportedPattern } from './pattern-node.ts'

type Instruction =
  | { readonly set: CharSet }
  | { readonly assertion: Assertion; readonly next: number }
  | { targets: readonly number[] }
  | 'found'

/** Most instructions, and ten times as many visits of nodes, that one pattern may become. */
const MAX_PROGRAM = 1_000

const assemble = (root: PatternNode): Instruction[] => {
  const program: Instruction[] = []
  let visits = 0
  const push = <T extends Instruction>(instruction: T): T => {
    if (program.push(instruction) > MAX_PROGRAM) throw new UnsupportedPattern('is too large')
    return instruction
  }
  const emit = (node: PatternNode): void => {
    if (++visits > MAX_PROGRAM * 10) throw new UnsupportedPattern('is too large')
    if (node.kind === 'char') push({ set: node.set })
    else if (node.kind === 'assert') push({ assertion: node.assertion, next: program.length + 1 })
    else if (node.kind === 'sequence') node.nodes.forEach(emit)
    else if (node.kind === 'either') {
      const fork = push({ targets: [] as number[] })
      const ends: { targets: readonly number[] }[] = []
      for (const branch of node.nodes) {
        fork.targets.push(program.length)
        emit(branch)
        ends.push(push({ targets: [] }))
      }
      for (const end of ends) end.targets = [program.length]
    } else {
      for (let count = 0; count < node.min; count++) emit(node.node)
      if (node.max === Infinity) {
        const start = program.length
        const fork: { targets: readonly number[] } = push({ targets: [] })
        emit(node.node)
        push({ targets: [start] })
        fork.targets = [start + 1, program.length]
      } else
        for (let count = node.min; count < node.max; count++) {
          // Leaving one optional part leaves all that follow it: from any of them the search goes on at the same place.
          const start = program.length
          const fork: { targets: readonly number[] } = push({ targets: [] })
          emit(node.node)
          fork.targets = [start + 1, program.length]
        }
    }
  }
  emit(root)
  push('found')
  return program
}

const isWord = (code: number | undefined): boolean => code !== undefined && has(CLASSES['w']!, code)

const holds = (assertion: Assertion, before: number | undefined, after: number | undefined): boolean => {
  if (assertion === '^') return before === undefined
  if (assertion === '$') return after === undefined
  return (isWord(before) !== isWord(after)) === (assertion === 'b')
}

const searching = (program: readonly Instruction[]): ((text: string) => boolean) => {
  /** For each instruction the step in which it was last reached, so that it is followed once per step. */
  const reached = new Int32Array(program.length)
  return (text) => {
    reached.fill(-1)
    let current: number[] = []
    let next: number[] = []
    const pending: number[] = []
    let before: number | undefined
    let step = 0
    for (let at = 0; ; step++) {
      const after = text.codePointAt(at)
      // A match may begin at each place.
      pending.push(0, ...current)
      current.length = 0
      while (pending.length > 0) {
        const index = pending.pop()!
        if (reached[index] === step) continue
        reached[index] = step
        const instruction = program[index]!
        if (instruction === 'found') return true
        if ('set' in instruction) {
          if (after !== undefined && has(instruction.set, after)) next.push(index + 1)
        } else if ('targets' in instruction) pending.push(...instruction.targets)
        else if (holds(instruction.assertion, before, after)) pending.push(instruction.next)
      }
      if (after === undefined) return false
      const spent = current
      current = next
      next = spent
      before = after
      at += after > 0xffff ? 2 : 1
    }
  }
}

/**
 * A search for a pattern anywhere in a text. `\d \w \s \b` know Unicode, `.` is anything but a line feed, `^` and `$` are
 * the ends of the text: the dialect of the protocol's services.
 *
 * @returns Undefined for an invalid pattern; a text saying what is not supported: lookaround, back references, flags,
 *   named groups, nested classes, more than 1,000 characters or states.
 */
export const compilePattern = (source: string): ((text: string) => boolean) | undefined | string => {
  try {
    return searching(assemble(parsePattern(source)))
  } catch (error) {
    if (error instanceof InvalidPattern) return undefined
    if (error instanceof UnsupportedPattern) return `the pattern ${error.message}`
    throw error
  }
}
