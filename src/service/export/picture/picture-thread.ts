import { parentPort, workerData } from 'node:worker_threads'
import type { DrawingKit } from './draw-picture.ts'
import { drawPicture } from './draw-picture.ts'
import type { PictureRequest } from './picture.ts'
import type { RenderResult, ThreadSettings } from './renderer.ts'
import { findFurtherFonts, findMainFont } from './text/find-fonts.ts'
import { createFontLibrary } from './text/font-library.ts'
import { measureShaped } from './text/measure-shaped.ts'
import { createRuler } from './text/ruler.ts'

/** The script of the thread that draws pictures for the renderer. It draws one at a time. */

const { fontsFolder } = workerData as ThreadSettings

const library = createFontLibrary({
  main: findMainFont(),
  further: findFurtherFonts(fontsFolder),
  onWarning: (message) => parentPort?.postMessage({ kind: 'warning', message } satisfies RenderResult),
})
const kit: DrawingKit = { library, ruler: createRuler(library, measureShaped) }

const runJob = (request: PictureRequest): RenderResult => {
  try {
    return { kind: 'picture', bytes: ownBuffer(drawPicture(request, kit)) }
  } catch (error) {
    return { kind: 'error', error }
  }
}

/** Copies the bytes unless they fill their buffer; only whole buffers can be transferred. */
const ownBuffer = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes)

parentPort?.on('message', (request: PictureRequest) => {
  const result = runJob(request)
  parentPort?.postMessage(result, result.kind === 'picture' ? [result.bytes.buffer] : [])
})
