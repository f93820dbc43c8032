/** A part of a definition has the wrong shape; the message names its path. Never leaves `compile`. */
export class MalformedDefinitionError extends Error {
  constructor(path: string, rule: string) {
    super(`${path} ${rule}`)
  }
}
