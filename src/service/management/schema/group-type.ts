import * as Type from 'typebox'

const group_type = Type.String({ minLength: 1, maxLength: 400, examples: ['company'] })

export const GroupTypeSchema = Type.Object(
  {
    group_type,
    group_type_index: Type.Integer({ minimum: 0, description: 'What flags refer to.', examples: [0] }),
  },
  { $id: 'GroupType', description: 'A kind of group, such as a company.' },
)

export const GroupTypeInput = Type.Object({ group_type })
