import * as Type from 'typebox'

/** The path parameter of all paths of an organisation. */
export const OrganizationParams = {
  organization_id: Type.String({
    description:
      'Id of the organisation, or `@current`: that of the first project that the key is limited to, or the first organisation that ' +
      'it is limited to; for a key without such limits, the organisation of which its user has been a member for the longest time.',
  }),
}
