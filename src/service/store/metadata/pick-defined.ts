/** The entries of an object whose value is not undefined. */
export const pickDefined = <Value extends object>(object: Value): { [Key in keyof Value]?: NonNullable<Value[Key]> } =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Value]?: NonNullable<Value[Key]>
  }
