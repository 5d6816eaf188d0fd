import sys
from pathlib import Path
from subprocess import PIPE, Popen
import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import SparkSession

captures, answers, *questions = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
files = [[str(file)] for file in Path(captures).rglob("*.pcap*")]
paths = spark.createDataFrame(files, "file string").repartition(len(files))

def export(table, schema):
    columns = ",".join(column.split()[0] for column in schema.split(", "))
    def rows(batches):
        for file in (file for batch in batches for file in batch["file"].to_pylist()):
            gdwire = [SparkFiles.get("gdwire"), "export", "--format", "arrow", "--table", table]
            with Popen([*gdwire, "--columns", columns, file], stdout=PIPE) as child:
                yield from pa.ipc.open_stream(child.stdout)
            if child.returncode not in (0, 1):  # 1: some packets could not be decoded
                raise RuntimeError(f"{file}: gdwire ended with exit code {child.returncode}")
    paths.mapInArrow(rows, schema).cache().createOrReplaceTempView(table)

export("messages", "file string, time timestamp, direction string, src_address string, "
    "src_port int, dst_address string, dst_port int, len bigint, command string, path string, "
    "method string, method_number int, digest string, confirmed boolean")
export("connections", "file string, messages bigint, missing_reliable bigint, "
    "missing_unreliable bigint, missing_parts bigint")
for question in map(Path, questions):
    spark.sql(question.read_text()).write.json(f"{answers}/{question.stem}")
spark.stop()
