import { Resvg } from '@resvg/resvg-js'

/**
 * Draws an SVG as PNG. Nothing outside the SVG is read but the font files.
 *
 * @param scale Pixels of the PNG per CSS pixel.
 */
export const renderPng = (svg: string, scale: number, fontFiles: readonly string[]): Uint8Array =>
  new Resvg(svg, {
    fitTo: { mode: 'zoom', value: scale },
    font: { loadSystemFonts: false, fontFiles: [...fontFiles] },
  })
    .render()
    .asPng()
