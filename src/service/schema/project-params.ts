import * as Type from 'typebox'

/** The path parameter of all paths of a project. */
export const ProjectParams = {
  project_id: Type.String({
    description: 'Id of the project, or `@current` for the project of the key.',
    examples: ['1'],
  }),
}
