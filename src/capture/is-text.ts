/** Whether something that a page handed over can be a name or an id: a text that is not empty. */
export const isText = (value: unknown): value is string => typeof value === 'string' && !!value.trim()
