/** Whether the user has enabled Global Privacy Control or the older Do Not Track. */
export const isDoNotTrackEnabled = (): boolean => {
  const { globalPrivacyControl, doNotTrack } = (globalThis.navigator ?? {}) as {
    readonly globalPrivacyControl?: boolean
    readonly doNotTrack?: string | null
  }
  return !!globalPrivacyControl || doNotTrack === '1'
}
