export interface CephConfigOptions {
  readonly folder: string;
  readonly fsid: string;
  readonly gatewayPort: number;
  readonly monitorPort: number;
}

/**
 * Log entries cost more than half of the processor time of a request, because Ceph also collects
 * in memory what it does not write.
 */
const quiet =
  "osd mon monc paxos ms objecter rgw auth crypto tp optracker objclass finisher heartbeatmap perfcounter asok throttle timer buffer context rados crush leveldb rocksdb mgr mgrc civetweb"
    .split(" ")
    .map((subsystem) => `debug ${subsystem} = 0/0`)
    .join("\n");

/**
 * A cluster of one: no copies, few placement groups, objects in memory, all on loopback. The
 * monitor agrees with itself at once; left at a second, that wait is most of the start.
 */
export function cephConfig(options: CephConfigOptions): string {
  const { folder, fsid, gatewayPort, monitorPort } = options;
  return `[global]
fsid = ${fsid}
mon host = v2:127.0.0.1:${monitorPort}
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail crit = 1
paxos propose interval = 0.02
paxos min wait = 0.01
keyring = ${folder}/keyring
run dir = ${folder}
log file = ${folder}/$name.ceph.log
pid file = ${folder}/$name.pid
admin socket = ${folder}/$name.asok
${quiet}
[mon.a]
mon data = ${folder}/mon
[osd]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 4294967296
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort}
rgw data = ${folder}/rgw
# A day of a lifecycle rule takes two seconds.
rgw lc debug interval = 2
# With the default of 32 queues it looks at each of them every two seconds.
rgw lc max objs = 1
rgw lc max worker = 1
rgw lc max wp worker = 1
rgw enable quota threads = false
rgw enable usage log = false
rgw enable ops log = false
`;
}
