"""Reads an exported trace with the public schema of Perfetto and compares it with what ran.

usage: check.py NEFFSCOPE MAKE_CAPTURE NEFF FOLDER

The capture comes from MAKE_CAPTURE, whose records follow a stated rule: instruction n of an engine
starts n x 100 ns after the first and lasts 60 ns; change n of semaphore 10 comes 49 ns + n x 90 ns
after it and leaves n + 1; the packet of DMA engine e starts 199 ns + e x 10 ns after it, lasts
410 ns and moves 4,096 bytes. The last instruction of PE has no end.
"""

import csv
import subprocess
import sys
import zlib
from pathlib import Path

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

LINK = "http://localhost:7777/f/abc"
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


class Exported:
    """The packets of a file, by track."""

    def __init__(self, path):
        trace = schema.Trace()
        trace.ParseFromString(path.read_bytes())
        self.packets = []
        for packet in trace.packet:
            assert packet.compressed_packets, "every packet of the file holds packets"
            inner = schema.Trace()
            inner.ParseFromString(zlib.decompress(packet.compressed_packets))
            self.packets.extend(inner.packet)
        self.tracks = {}
        self.events = {}
        names, facts, values = {}, {}, {}
        for packet in self.packets:
            assert packet.trusted_packet_sequence_id == 1
            data = packet.interned_data
            names.update((one.iid, one.name) for one in data.event_names)
            facts.update((one.iid, one.name) for one in data.debug_annotation_names)
            values.update((one.iid, one.str.decode()) for one in data.debug_annotation_string_values)
            if packet.HasField("track_descriptor"):
                track = packet.track_descriptor
                assert track.uuid not in self.tracks, "a track is described once"
                self.tracks[track.uuid] = track
                self.events[track.uuid] = []
            if packet.HasField("track_event"):
                event = packet.track_event
                about = {}
                for one in event.debug_annotations:
                    value = one.uint_value if one.HasField("uint_value") else values[one.string_value_iid]
                    about[facts[one.name_iid]] = value
                name = names[event.name_iid] if event.name_iid else ""
                entry = (packet.timestamp, event.type, name, event.counter_value, about)
                self.events[event.track_uuid].append(entry)

    def named(self, name):
        return [uuid for uuid, track in self.tracks.items() if track.name == name]

    def slices(self, uuid):
        """Begin, end, name and facts of the slices of a track; none lies inside another one."""
        found, open_at = [], None
        for time, kind, name, _, about in self.events[uuid]:
            if kind == schema.TrackEvent.TYPE_SLICE_BEGIN:
                assert open_at is None, "slices of a track do not overlap"
                open_at = (time, name, about)
            elif kind == schema.TrackEvent.TYPE_SLICE_END:
                found.append((open_at[0], time, open_at[1], open_at[2]))
                open_at = None
        assert open_at is None, "every slice ends"
        return found


@check
def one_process_holds_all_tracks_in_order(trace, rows):
    root, *others = trace.tracks.values()
    assert root.process.process_name == "sg00: captured in run.ntff", root.process.process_name
    assert root.child_ordering == schema.TrackDescriptor.EXPLICIT
    none = schema.TrackDescriptor.SIBLING_MERGE_BEHAVIOR_NONE
    assert all(track.parent_uuid == root.uuid for track in others)
    assert all(track.sibling_merge_behavior == none for track in others)
    assert [track.sibling_order_rank for track in others] == list(range(1, len(others) + 1))
    names = [track.name for track in others]
    assert names[:5] == ["PE", "ACT", "POOL", "DVE", "SP"], names
    assert names[5:7] == ["q_gradient_in ring 0", "q_gradient_in ring 1"], names
    assert names[-1] == "sem[10]", names


@check
def instructions_are_where_the_rule_puts_them(trace, rows):
    for engine in ["PE", "ACT", "POOL", "DVE", "SP"]:
        (uuid,) = trace.named(engine)
        slices = trace.slices(uuid)
        own = [row for row in rows if row["row"] == engine]
        assert len(slices) == len(own) > 0
        for n, (begin, end, name, about) in enumerate(slices):
            last = engine == "PE" and n + 1 == len(slices)
            assert begin == n * 100, (engine, n, begin)
            assert last or end == begin + 60, (engine, n, end)
            assert name == own[n]["name"]
            assert about["slot"] == int(own[n]["slot"])
            assert about["pc"] == own[n]["device_pc"]
            assert about.get("source", "") == own[n]["source"]
            assert str(about.get("neff ip", "")) == own[n]["neff_ip"]
            assert about["open"] == f"{LINK}/timeline?v=1&s=sg00&e={engine}&slot={about['slot']}"
            assert ("odd" in about) == last


@check
def cycles_are_those_of_the_engines_clock(trace, rows):
    # 60 ns are 72 periods of 0.8333 ns, and 57.6 of the 1.0417 ns of DVE.
    for engine, cycles in [("PE", 72), ("DVE", 58)]:
        (uuid,) = trace.named(engine)
        assert trace.slices(uuid)[0][3]["cycles"] == cycles


@check
def a_semaphore_is_a_counter(trace, rows):
    (uuid,) = trace.named("sem[10]")
    assert trace.tracks[uuid].HasField("counter")
    values = [(time, value) for time, _, _, value, _ in trace.events[uuid]]
    assert values == [(49 + n * 90, n + 1) for n in range(40)], values
    kinds = {kind for _, kind, *_ in trace.events[uuid]}
    assert kinds == {schema.TrackEvent.TYPE_COUNTER}


@check
def packets_are_where_the_rule_puts_them(trace, rows):
    for ring in range(16):
        (uuid,) = trace.named(f"q_gradient_in ring {ring}")
        ((begin, end, name, about),) = trace.slices(uuid)
        assert (begin, end, name) == (199 + 10 * ring, 609 + 10 * ring, "packet")
        assert about == {"bytes": 4096}


@check
def no_event_is_left_out(trace, rows):
    begins = schema.TrackEvent.TYPE_SLICE_BEGIN, schema.TrackEvent.TYPE_COUNTER
    begins = begins + (schema.TrackEvent.TYPE_INSTANT,)
    count = sum(event[1] in begins for events in trace.events.values() for event in events)
    assert count == len(rows), (count, len(rows))


def main(neffscope, make_capture, neff, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    run, trace, table = folder / "run.ntff", folder / "run.pftrace", folder / "run.csv"
    subprocess.run([make_capture, neff, "cayman-r2.27", run, "3"], check=True)
    command = [neffscope, "timeline", neff, "--ntff", run, "--link", LINK]
    command += ["--perfetto", trace, "--csv", table]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    exported = Exported(trace)
    failed = []
    for function in CHECKS:
        name = "perfetto: " + function.__name__.replace("_", " ")
        try:
            function(exported, rows)
            print(f"ok - {name}")
        except Exception as error:
            failed.append(f"failed: {name}: {type(error).__name__} {error}")
    for line in failed:
        print(line)
    print(f"# pass {len(CHECKS) - len(failed)}")
    print(f"# fail {len(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
