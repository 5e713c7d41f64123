import type { GatewayCheck } from '@patchbay/contract/carrier-connection-check'
import { StateBadge } from '../../../ui/badge.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import type { TableColumn } from '../../../ui/table/table-props.ts'
import { describeGateway, transportLabels } from './check-labels.ts'

const columns: readonly TableColumn<GatewayCheck>[] = [
  {
    id: 'address',
    header: 'Gateway',
    share: 14,
    wraps: true,
    card: 'name',
    cell: ({ ipv4, port, transport, outbound_sip_proxy: proxy }) => (
      <span>
        <code>{port === null ? ipv4 : `${ipv4}:${port}`}</code>{' '}
        {proxy !== null && (
          <>
            through <code>{proxy}</code>{' '}
          </>
        )}
        {transportLabels[transport]}
      </span>
    ),
  },
  {
    id: 'result',
    header: 'Result',
    share: 12,
    nowrap: true,
    card: 'state',
    cell: (gateway) => {
      const { tone, label } = describeGateway(gateway)
      return <StateBadge tone={tone}>{label}</StateBadge>
    },
  },
  {
    id: 'addresses',
    header: 'Address in DNS',
    share: 12,
    card: 'detail',
    cell: ({ source, addresses }) =>
      source === null || source === 'literal' ? null : <span className="mono">{addresses.join(', ')}</span>,
  },
  { id: 'meaning', header: 'Meaning', share: 26, wraps: true, cell: (gateway) => describeGateway(gateway).explanation },
]

/** Gateways that are not saved have no SID, but differ in address or port. */
const rowKey = ({ sip_gateway_sid, ipv4, port }: GatewayCheck): string => sip_gateway_sid || `${ipv4} ${port ?? ''}`

/** The result of a connection check for each gateway. */
export const GatewayResults = ({ gateways }: { gateways: readonly GatewayCheck[] }) => (
  <DataTable caption="Connection to the SIP gateways" columns={columns} rows={gateways} rowKey={rowKey} state="ready" />
)
