import { showErrorToast } from '../feedback/use-action.ts'
import { CopyMenu } from '../ui/overlay/copy-menu.tsx'
import type { ExportMenuProps } from './export-menu.tsx'
import { requestToCurl, rowsToCsv, rowsToJson } from './export-rows.ts'

/** The open menu of an export: the request as a curl command, the rows as JSON, and the table as CSV. */
export const ExportChoices = ({ endpoint, input, rows, table, serverTable }: ExportMenuProps) => {
  const csv = async () => rowsToCsv(await rows())
  return (
    <CopyMenu
      startsOpen
      curl={() => requestToCurl(endpoint, input)}
      json={async () => rowsToJson(await rows(), table === undefined)}
      {...(table === undefined ? {} : { csv: serverTable ?? csv, fileName: `${table}.csv` })}
      onFailed={showErrorToast}
    />
  )
}
