import styles from './call-figure.module.css'

/** A message of the call, or the state of the call between two messages. */
type Row =
  | { at: string; message: string; from: 'caller' | 'callee'; isProvisional?: true }
  | { at: string; state: 'ringing' | 'conversation' }

const rows: readonly Row[] = [
  { at: '0.000', message: 'INVITE', from: 'caller' },
  { at: '0.004', message: '100 Trying', from: 'callee', isProvisional: true },
  { at: '0.031', message: '180 Ringing', from: 'callee', isProvisional: true },
  { at: '2.41 s', state: 'ringing' },
  { at: '2.446', message: '200 OK', from: 'callee' },
  { at: '2.462', message: 'ACK', from: 'caller' },
  { at: '02:05', state: 'conversation' },
  { at: '127.5', message: 'BYE', from: 'caller' },
  { at: '127.5', message: '200 OK', from: 'callee' },
]

const rowHeight = 40
const axis = 72
const caller = 182
const callee = 370

const Message = ({ message, from, isProvisional }: Extract<Row, { message: string }>) => {
  const isToCallee = from === 'caller'
  const tip = isToCallee ? `M${callee - 8},-4 l8,4 l-8,4z` : `M${caller + 8},-4 l-8,4 l8,4z`
  return (
    <>
      <path className={styles.tick} d={`M${axis - 4},0 h8`} />
      <path className={styles.arrow} d={`M${caller},0 H${callee}`} strokeDasharray={isProvisional && '3 3'} />
      <path className={styles.tip} d={tip} />
      <text className={styles.message} x={(caller + callee) / 2} y={-6}>
        {message}
      </text>
    </>
  )
}

const State = ({ state }: Extract<Row, { state: string }>) => (
  <>
    <path className={styles.caps} d={`M${axis - 4},-20 h8 m-4,0 V20 m-4,0 h8`} />
    <text className={styles.message} x={(caller + callee) / 2} y={4}>
      {state}
    </text>
  </>
)

/** A call as the console draws it, as the picture beside the forms for visitors. */
export const CallFigure = () => (
  <svg className={styles.figure} viewBox="0 -60 420 412" aria-hidden="true">
    <path className={styles.line} d={`M${axis},-50 V350 M${caller},-30 V350 M${callee},-30 V350`} />
    <text className={styles.party} x={caller} y={-42}>
      Caller
    </text>
    <text className={styles.party} x={callee} y={-42}>
      Patchbay
    </text>
    {rows.map((row, position) => (
      <g
        key={`${row.at} ${'state' in row ? row.state : row.message}`}
        transform={`translate(0 ${position * rowHeight})`}
        className={'state' in row && row.state === 'conversation' ? styles.talking : undefined}
      >
        <text className={styles.time} x={axis - 16} y={4}>
          {row.at}
        </text>
        {'state' in row ? <State {...row} /> : <Message {...row} />}
      </g>
    ))}
  </svg>
)
