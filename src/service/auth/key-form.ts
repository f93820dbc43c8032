/**
 * What the form of an unknown key says about its kind: ours, or those of other services of the protocol, whose keys begin with `phc_`
 * and `phx_`. Null for any other form.
 */
export const readKeyForm = (key: string): 'project' | 'personal' | null => {
  if (/^(wmx|phx)_/.test(key)) return 'personal'
  return /^(wm|phc)_/.test(key) ? 'project' : null
}

/** Says that a personal API key was sent where the key of a project belongs. The key is never part of the message. */
export const PERSONAL_KEY_MISPLACED =
  'This is a personal API key, which is secret, in the place of the project API key. Send the project API key ("wm_…") here. ' +
  'The personal API key belongs in the header "Authorization: Bearer <key>".'

/** Says that the key of a project was sent where a personal API key belongs. */
export const PROJECT_KEY_MISPLACED =
  'This is a project API key in the place of a personal API key. "Authorization" needs a personal API key ("wmx_…"), which ' +
  '"waymark-service key create" makes. The project API key belongs in the body as "api_key", or in the URL as "token".'
