import { split, writeInstant } from '../calls/nanosecond-timestamps.ts'
import { alertOfPoint } from '../ingest/parse-call-point.ts'
import type { InfluxDb, InfluxSearch } from '../influxdb.ts'
import { toAlert } from './to-alert.ts'
import type { Alerts } from './alerts.ts'

/** Alerts as the platform's own components keep them: of each type, owner and vendor one an instant. */
export const createInfluxAlerts = (influx: InfluxDb): Alerts => ({
  async search(search, searcher) {
    const { alert_type } = search
    const asked: InfluxSearch = {
      measurement: 'alerts',
      counted: ['message'],
      search,
      conditions: alert_type ? ['"alert_type"::tag = $alert_type'] : [],
      params: alert_type ? { alert_type } : {},
    }
    const { total, points } = await influx.search(asked, searcher)
    const alerts = points.map((point) => {
      const { milliseconds, nanoseconds } = split(point.time)
      return toAlert(alertOfPoint(point), writeInstant(milliseconds, nanoseconds))
    })
    return { total, alerts }
  },
})
