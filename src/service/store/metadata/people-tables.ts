import type { Generated } from 'kysely'

/** The tables of users, organisations and memberships. The front and the command line write them. */
export interface PeopleTables {
  users: {
    id: Generated<number>
    uuid: string
    distinct_id: string
    /** In lower case, unique. */
    email: string
    first_name: string
    last_name: string
    /** 0 or 1. */
    is_email_verified: number
    /** JSON object. */
    hedgehog_config: string
    role_at_organization: string
    /** Starts at 1 and increases with each change. */
    version: number
    created_at: number
    updated_at: number
  }
  organizations: {
    /** A uuid. */
    id: string
    name: string
    version: number
    created_at: number
    updated_at: number
  }
  organization_members: {
    /** A uuid. */
    id: string
    organization_id: string
    user_id: number
    /** 1 member, 8 administrator, 15 owner. */
    level: number
    version: number
    joined_at: number
    updated_at: number
  }
  /** Memberships of a project; a member of the organisation has at most one in each project. */
  project_members: {
    /** A uuid. */
    id: string
    project_id: number
    membership_id: string
    /** 1 member, 8 administrator. */
    level: number
    version: number
    joined_at: number
    updated_at: number
  }
}
