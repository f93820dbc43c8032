import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { findBuilt } from '../../../find-built.ts'
import type { Weight } from './font.ts'

/** Fonts of scripts that the main font lacks. Each is used if it is installed beside the service. */
const OPTIONAL_FONTS = [
  '@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf',
  '@expo-google-fonts/noto-sans-tc/400Regular/NotoSansTC_400Regular.ttf',
  '@expo-google-fonts/noto-sans-jp/400Regular/NotoSansJP_400Regular.ttf',
  '@expo-google-fonts/noto-sans-kr/400Regular/NotoSansKR_400Regular.ttf',
  '@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf',
  '@expo-google-fonts/noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf',
]

/** The files of the main font. */
export const findMainFont = (): Readonly<Record<Weight, string>> => {
  const folder = findBuilt('fonts')
  if (folder === undefined) throw new Error('The folder "fonts" is missing; build the service first (npm run build).')
  return { normal: join(folder, 'DejaVuSans.ttf'), bold: join(folder, 'DejaVuSans-Bold.ttf') }
}

/**
 * The paths of further fonts: those of a folder by name, then the installed packages.
 *
 * @param folder Absolute path; null for none. A folder that cannot be read has no fonts.
 */
export const findFurtherFonts = (folder: string | null): readonly string[] => [
  ...(folder === null ? [] : listFonts(folder)),
  ...OPTIONAL_FONTS.map(findInstalled).filter((path) => path !== null),
]

const listFonts = (folder: string): readonly string[] => {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /\.(?:ttf|otf)$/i.test(name))
    .toSorted()
    .map((name) => join(folder, name))
}

const findInstalled = (path: string): string | null => {
  try {
    return createRequire(import.meta.url).resolve(path)
  } catch {
    return null
  }
}
