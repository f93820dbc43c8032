import * as Type from 'typebox'

/** The path parameter of all paths of a project. */
export const ProjectParams = {
  project_id: Type.String({
    description:
      'Id of the project, or `@current`: the first project that the key is limited to; for a key without such a limit, the oldest ' +
      'project that it may see.',
    examples: ['1'],
  }),
}
