/** Whether a client that sends this `If-None-Match` has the content with this ETag already (RFC 9110, section 13.1.2: weak comparison). */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
