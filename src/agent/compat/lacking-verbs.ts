/** Calls of posthog-js that the agent has no equal for. */
const NAMES =
  'set_config onSessionId captureException startSessionRecording stopSessionRecording sessionRecordingStarted get_session_replay_url getSurveys getActiveMatchingSurveys onSurveysLoaded renderSurvey displaySurvey canRenderSurvey getEarlyAccessFeatures updateEarlyAccessFeatureEnrollment getAllFeatureFlags unsetPersonProperties clear_opt_in_out_capturing loadToolbar'

/** Creates calls that do nothing but warn. A callback gets an empty list, because the page may wait for it. */
export const createLackingVerbs = (
  warn: (message: string) => void,
): Readonly<Record<string, (callback?: unknown) => void>> => {
  const verbs: Record<string, (callback?: unknown) => void> = {}
  for (const name of NAMES.split(' '))
    verbs[name] = (callback) => {
      warn(`${name}() has no effect`)
      if (typeof callback === 'function') callback([])
    }
  return verbs
}
