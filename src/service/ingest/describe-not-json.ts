/** What a body looks like that is not JSON, from its first characters. None of them is repeated: a body has keys and personal data. */
const KINDS: readonly (readonly [start: RegExp, kind: string])[] = [
  [/^</, 'It looks like HTML or XML'],
  [/^--[^\r\n]*\r?\n/, 'It looks like a multipart form'],
  [/^[\w.$[\]%+-]+=/, 'It looks like a form (name=value)'],
  // oxlint-disable-next-line no-control-regex
  [/^[\u0000-\u0008\u000E-\u001F\uFFFD]/, 'It looks like binary or compressed bytes'],
  [/^[{["]/, 'It begins like JSON'],
]

/** Says that a body is not JSON, what it looks like, where it goes wrong if that is known, and what to send. */
export const describeNotJson = (body: string, error: unknown): string => {
  const kind = KINDS.find(([start]) => start.test(body.trimStart()))?.[1] ?? 'It does not begin like JSON'
  const position = /at position (\d+)/.exec(String(error))?.[1]
  const place =
    position === undefined
      ? /end of JSON/.test(String(error))
        ? ', and ends too early'
        : ''
      : `, and goes wrong at character ${position}`
  return `The body is not JSON. ${kind}${place}. Send one JSON value, with "Content-Type: application/json".`
}
