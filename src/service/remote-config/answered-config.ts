import { COMMON_CONFIG } from './remote-config.ts'

const text = (surveys: boolean): string => `,${JSON.stringify({ ...COMMON_CONFIG, surveys }).slice(1, -1)}`

const WITH_SURVEYS = text(true)
const WITHOUT_SURVEYS = text(false)

/**
 * What an answer with flags says beside them, for clients that ask for no remote config of its own: members of a JSON object, each
 * with a comma before it. Made once: `/decide` is asked at every page view.
 */
export const answeredConfig = (hasSurveys: boolean): string => (hasSurveys ? WITH_SURVEYS : WITHOUT_SURVEYS)
