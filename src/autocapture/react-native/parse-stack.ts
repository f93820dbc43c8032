/** A line of a stack, in the form that services of this protocol expect. */
export interface StackFrame {
  readonly platform: 'hermes' | 'web:javascript'
  readonly filename: string
  /** `?` for a function without a name. */
  readonly function: string
  readonly lineno: number
  readonly colno: number
  readonly in_app: true
}

/** As many as other agents of this protocol send. */
const MAX_FRAMES = 50

/** Longer lines are part of the message, and would take a regular expression long. */
const MAX_LINE_LENGTH = 1_024

/** `<place>:<line>:<column>`, with the parenthesis that Hermes and V8 add to a function's name. */
const POSITION = /^(.*):(\d+):(\d+)\)?$/

/** `at name (address at file`, `at name (file` or `at file`; from JavaScriptCore `name@file` or `file`. Other lines are the message. */
const PLACE = /^(?:at (?:(.+?) \()?(?:address at )?(.+)|(?:([^@]*)@)?(\S+))$/

/**
 * Reads the stack of an error, as Hermes, JavaScriptCore and V8 write it. Lines without a position, such as those of native functions, are
 * left out.
 *
 * @returns At most 50 frames, those of the innermost calls; the innermost one is last.
 */
export const parseStack = (stack: string): StackFrame[] => {
  const platform = 'HermesInternal' in globalThis ? 'hermes' : 'web:javascript'
  const frames: StackFrame[] = []
  for (const line of stack.split('\n')) {
    if (line.length > MAX_LINE_LENGTH) continue
    const [, place, lineno, colno] = POSITION.exec(line.trim()) ?? []
    const [, name, file, otherName, otherFile] = PLACE.exec(place ?? '') ?? []
    const filename = file ?? otherFile
    if (filename === undefined) continue
    const position = { lineno: Number(lineno), colno: Number(colno) }
    frames.unshift({ platform, filename, function: name || otherName || '?', ...position, in_app: true })
    if (frames.length === MAX_FRAMES) break
  }
  return frames
}
