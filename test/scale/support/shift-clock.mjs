/** Sets the clock of a process, and of those that it starts, forward by `WAYMARK_TEST_CLOCK_OFFSET_MS`, or back. Loaded by `--import`. */
const offsetMs = Number(process.env.WAYMARK_TEST_CLOCK_OFFSET_MS)
const MachineDate = Date

globalThis.Date = class extends MachineDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [MachineDate.now() + offsetMs] : parts))
  }

  static now() {
    return MachineDate.now() + offsetMs
  }
}
