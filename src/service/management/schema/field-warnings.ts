import * as Type from 'typebox'

/** Warnings about the body of a change. */
export const FieldWarnings = () =>
  Type.Optional(
    Type.Array(Type.String(), {
      description:
        'In the answer to a change: fields of the body that have no effect, each in a sentence; missing without one.',
      examples: [['"notes" is not a field of a feature flag: it is stored and has no effect.']],
    }),
  )
