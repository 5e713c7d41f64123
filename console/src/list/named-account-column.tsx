import { editAccount } from '../routes/accounts.ts'
import { ScreenLink } from '../screen/links.tsx'
import { Name } from '../ui/format/reference.tsx'
import type { TableColumn } from '../ui/table/table-props.ts'

/**
 * The account of a call or an alert, for lists of all accounts. Records of the service provider have none.
 * @param accounts the accounts whose names are known
 */
export const namedAccountColumn = <Row extends { account_sid: string | null }>(
  accounts: readonly { account_sid: string; name: string }[] = [],
): TableColumn<Row> => {
  const names = new Map(accounts.map(({ account_sid, name }) => [account_sid, name]))
  return {
    id: 'account',
    header: 'Account',
    share: 11,
    priority: 4,
    cell: ({ account_sid }) =>
      account_sid === null ? (
        'Service provider'
      ) : (
        <ScreenLink to={editAccount} params={{ account_sid }}>
          <Name>{names.get(account_sid) ?? account_sid}</Name>
        </ScreenLink>
      ),
  }
}
