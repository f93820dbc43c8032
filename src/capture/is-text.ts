/** Whether something that a page handed over can be a name or an id: a text that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && !!value.trim()
}
