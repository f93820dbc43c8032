/**
 * The metadata has an earlier revision of a project's persons than this process has read or written: after a failover to a server that had not
 * received the last changes. What queries use must be made equal to it again, which happens when the event store is opened.
 */
export class OlderMetadataError extends Error {
  override readonly name: string = 'OlderMetadataError'

  constructor(projectId: number) {
    super(
      `The metadata has forgotten changes of persons of project ${projectId}. They are copied into the event store again.`,
    )
  }
}
