export interface CephConfigOptions {
  readonly folder: string;
  readonly fsid: string;
  readonly gatewayPort: number;
  readonly monitorPort: number;
}

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
`;
}
