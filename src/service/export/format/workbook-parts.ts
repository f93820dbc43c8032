import { escapeXml } from './sheet-xml.ts'

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The header stays where it is when the rows are scrolled. */
export const SHEET_START: string = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`
export const SHEET_END = '</sheetData></worksheet>'

/** Style 0 is plain, 1 is bold, 2 a time and 3 a date, in the same form in all languages. The fills are those that every workbook must have. */
const STYLES = `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>`

const join = <Item>(items: readonly Item[], format: (item: Item) => string): string => items.map(format).join('')

/** The parts of a workbook besides its sheets, by their paths. Sheet 1 is `xl/worksheets/sheet1.xml`. */
export const describeWorkbook = (sheetNames: readonly string[]): Readonly<Record<string, string>> => {
  const sheets = sheetNames.map((name, index) => ({ name: escapeXml(name), number: index + 1 }))
  return {
    'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${join(
      sheets,
      ({ name, number }) => `<sheet name="${name}" sheetId="${number}" r:id="sheet${number}"/>`,
    )}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="styles" Type="${RELATIONS}/styles" Target="styles.xml"/>${join(
      sheets,
      ({ number }) =>
        `<Relationship Id="sheet${number}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
    )}</Relationships>`,
    'xl/styles.xml': STYLES,
    '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="workbook" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/>${join(
      sheets,
      ({ number }) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${TYPES}.worksheet+xml"/>`,
    )}</Types>`,
  }
}
