import { COMMON_CONFIG } from './remote-config.ts'

const createMembersJson = (surveys: boolean): string => `,${JSON.stringify({ ...COMMON_CONFIG, surveys }).slice(1, -1)}`

const WITH_SURVEYS = createMembersJson(true)
const WITHOUT_SURVEYS = createMembersJson(false)

/**
 * The config in a flags response, for clients that do not request the remote config separately. Members of a JSON object,
 * each with a comma before it. Serialised once, because every page view calls `/decide`.
 */
export const commonConfigJson = (hasSurveys: boolean): string => (hasSurveys ? WITH_SURVEYS : WITHOUT_SURVEYS)
