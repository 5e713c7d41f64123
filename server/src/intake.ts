import type { FastifyBaseLogger } from 'fastify'
import { closing } from './closing.ts'
import type { Configuration } from './configuration.ts'
import type { Database } from './database/engine.ts'
import { createSqlAlerts } from './platform/alerts/sql-alerts.ts'
import { createSqlCalls } from './platform/calls/sql-calls.ts'
import { alertFromPoint, callFromPoint } from './platform/intake/call-point.ts'
import { createInfluxIntake } from './platform/intake/influx-intake.ts'
import type { IntakeSink } from './platform/intake/stored-points.ts'
import type { Point } from './platform/intake/line-protocol.ts'

/** Points of the intake become records of our own stores. What is no call or alert was refused before. */
export const createSink = (database: Database): IntakeSink => {
  const calls = createSqlCalls(database)
  const alerts = createSqlAlerts(database)
  const valid = <T>(points: readonly Point[], read: (point: Point) => { ok: true; value: T } | { ok: false }): T[] =>
    points.flatMap((point) => {
      const result = read(point)
      return result.ok ? [result.value] : []
    })
  return {
    writeCalls: (points) => calls.store(valid(points, callFromPoint)),
    writeAlerts: (points) => alerts.store(valid(points, alertFromPoint)),
  }
}

/** Listens on the protocol's own port; a port already taken is a warning, not a crash. */
export const listenForInflux = async (
  { influxIntake, requestTimeoutSeconds: timeoutSeconds }: Configuration,
  database: Database,
  logger: FastifyBaseLogger,
  graceMilliseconds: number,
): Promise<{ address: string; close(): Promise<void> } | undefined> => {
  if (influxIntake === null) return undefined
  const { host, port, credentials } = influxIntake
  const sink = createSink(database)
  const intake = createInfluxIntake({ sink, logger, host, timeoutSeconds, ...(credentials ? { credentials } : {}) })
  const close = closing(intake, graceMilliseconds)
  try {
    const address = await intake.listen({ host, port })
    return { address, close }
  } catch (error) {
    logger.warn({ err: error }, `call records are not received: port ${port} of ${host} cannot be used`)
    await intake.close()
    return undefined
  }
}
