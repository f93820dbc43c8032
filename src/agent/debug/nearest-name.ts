/** Number of inserted, removed or replaced characters between two strings (Levenshtein distance). */
const countEdits = (from: string, to: string): number => {
  let row = `${to} `.split('').map((_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++)
      next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + Number(from[i - 1] !== to[j - 1]))
    row = next
  }
  return row[to.length]!
}

/** Options of other agents, whose names are unlike ours, with ours. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  apihost: 'host',
  url: 'host',
  endpoint: 'host',
  serverurl: 'host',
  loglevel: 'debug',
  batchsize: 'maxBatchSize',
  optoutcapturingbydefault: 'defaultOptIn',
  optout: 'defaultOptIn',
  sessionexpirationtimeseconds: 'sessionIdleTimeoutSeconds',
  sessionidletimeoutseconds: 'sessionIdleTimeoutSeconds',
  featureflagrequesttimeoutms: 'requestTimeout',
  advanceddisablefeatureflags: 'preloadFeatureFlags',
  dnt: 'respectDnt',
  secretkey: 'personalApiKey',
}

const plain = (name: string): string => name.replace(/[^a-z\d]/gi, '').toLowerCase()

/** Returns the name that the caller probably meant; undefined when none is near: more than a third of the letters differ. */
export const findNearestName = (name: string, names: readonly string[]): string | undefined => {
  const wanted = plain(name)
  const otherName = OTHER_NAMES[wanted]
  if (otherName && names.includes(otherName)) return otherName
  const [nearest] = names
    .map((candidate) => ({ candidate, edits: countEdits(wanted, plain(candidate)) }))
    .sort((a, b) => a.edits - b.edits)
  return nearest && nearest.edits <= Math.max(wanted.length, nearest.candidate.length) / 3
    ? nearest.candidate
    : undefined
}
