import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { isPattern } from '@patchbay/rules/phone-number/format'
import { applicationColumn } from '../../list/columns.tsx'
import { editAccount } from '../../routes/accounts.ts'
import { editCarrier } from '../../routes/carriers.ts'
import { editPhoneNumber } from '../../routes/phone-numbers.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { PhoneNumberText } from '../../ui/format/phone-number.tsx'
import { Reference } from '../../ui/format/reference.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'

/** The columns of the list of phone numbers. */
export const columns: readonly TableColumn<NamedPhoneNumber>[] = [
  {
    id: 'number',
    header: 'Number',
    share: 14,
    nowrap: true,
    card: 'name',
    cell: ({ phone_number_sid, number }) => (
      <>
        <ScreenLink to={editPhoneNumber} params={{ phone_number_sid }} data-row-primary="">
          <PhoneNumberText value={number} />
        </ScreenLink>{' '}
        {isPattern(number) && <StateBadge tone="neutral">pattern</StateBadge>}
      </>
    ),
  },
  {
    id: 'carrier',
    header: 'Carrier',
    share: 12,
    priority: 3,
    cell: ({ voip_carrier_sid, carrier_name }) =>
      voip_carrier_sid && (
        <Reference
          sid={voip_carrier_sid}
          name={carrier_name}
          link={(props) => <ScreenLink to={editCarrier} params={{ voip_carrier_sid }} {...props} />}
        />
      ),
  },
  {
    id: 'account',
    header: 'Account',
    share: 12,
    priority: 2,
    card: 'end',
    cell: ({ account_sid, account_name }) =>
      account_sid && (
        <Reference
          sid={account_sid}
          name={account_name}
          link={(props) => <ScreenLink to={editAccount} params={{ account_sid }} {...props} />}
        />
      ),
  },
  applicationColumn({ share: 12 }),
]
