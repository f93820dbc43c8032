/**
 * Reads a property of the document that must be a string. In a page, a form or an image with the name of the property hides it: then the
 * prototype still has it.
 */
export const readString = (owner: object, name: string): string | undefined =>
  [(owner as Record<string, unknown>)[name], Reflect.get(Object.getPrototypeOf(owner) as object, name, owner)].find(
    (value): value is string => typeof value === 'string',
  )
